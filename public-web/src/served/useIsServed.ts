import { useState } from 'react';

/** Whether the page came with this element, whose content the server or the build has written. */
export const useIsServed = (id: string): boolean =>
  useState(() => import.meta.env.SSR || document.getElementById(id) !== null)[0];
