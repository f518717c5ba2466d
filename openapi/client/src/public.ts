/** The public API as the server publishes it; generated into this folder by `npm run gen`. */
export type { components, operations, paths } from './generated/public';
