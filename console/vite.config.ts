import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  html: { cspNonce: '__CSP_NONCE__' },
  // A data URL would need a wider policy.
  build: { assetsInlineLimit: 0, target: 'es2023', modulePreload: { polyfill: false }, chunkSizeWarningLimit: 1_000 },
});
