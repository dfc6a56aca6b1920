import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const root = fileURLToPath(new URL('.', import.meta.url))
/** The service that the development server asks; its token stands in for a session. */
const { LAUREL_URL = 'http://127.0.0.1:8080', LAUREL_TOKEN } = process.env

// biome-ignore lint/style/noDefaultExport: Vite reads the default export.
export default defineConfig({
  root,
  base: '/console/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    target: 'es2023',
    cssTarget: ['chrome125', 'firefox128', 'safari18'],
    // The service's content security policy admits no inline data and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Whoever gets the console, in a package or from a service, gets the licences of the packages in it.
    license: { fileName: 'THIRD-PARTY-NOTICES.txt' },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/openapi.json', '/schemas'].map((path) => [
        path,
        { target: LAUREL_URL, headers: LAUREL_TOKEN === undefined ? {} : { token: LAUREL_TOKEN } },
      ]),
    ),
  },
})
