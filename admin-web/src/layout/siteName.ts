/** The server writes the name of the exchange into the page; the development server does not. */
const written = document.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content ?? '';

export const siteName = written === '' || written.startsWith('AGIO_SLOT') ? 'Agio' : written;
