import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

/** Where the server of the project listens while developing. */
const server = process.env.AGIO_SERVER ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react()],
  server: {
    proxy: { '/api': server, '/en/api': server, '/front-api': server, '/en/front-api': server },
  },
  build: {
    manifest: true,
    target: 'es2022',
    cssMinify: 'lightningcss',
    // Inlined files would become data: addresses, which the content security policy refuses for fonts.
    assetsInlineLimit: 0,
  },
  ssr: { noExternal: true },
  test: {
    globals: true,
    environment: 'node',
    include: ['src/**/*.test.{ts,tsx}'],
  },
});
