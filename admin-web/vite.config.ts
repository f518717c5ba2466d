import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

/** The server puts a fresh nonce in the place of this word in each answer of `index.html`. */
const NONCE = '__CSP_NONCE__';

export default defineConfig({
  base: '/admin/',
  html: { cspNonce: NONCE },
  plugins: [react()],
  build: {
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1200,
    rollupOptions: {
      output: {
        entryFileNames: 'assets/[name]-[hash].js',
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/health'].map((path) => [path, process.env.AGIO_SERVER ?? 'http://127.0.0.1:8080']),
    ),
  },
  test: {
    testTimeout: 60_000,
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
    // react-admin imports the router by this name; by the other one Node would load a second router.
    alias: [{ find: /^react-router$/, replacement: 'react-router-dom' }],
  },
});
