import { type ComponentProps, useId } from 'react';
import { Field } from './Field.tsx';

/** The IANA name of a time zone, from the list of the browser. */
export function TimeZoneField(props: ComponentProps<typeof Field>) {
  const zones = useId();
  return (
    <>
      <Field placeholder="Europe/Moscow" {...props} inputProps={{ list: zones, spellCheck: false }} />
      <datalist id={zones}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
