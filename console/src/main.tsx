import '@fontsource-variable/inter/index.css';
import '@fontsource-variable/jetbrains-mono/index.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/layout.css';
import './styles/controls.css';
import './styles/content.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { onSessionEnd } from './api/request.ts';
import { sessionQuery } from './api/session.ts';
import { createQueryClient } from './app/query-client.ts';
import { router } from './app/router.tsx';
import { readNonce } from './ui/nonce.ts';
import { applyTheme, readTheme } from './ui/theme.ts';

applyTheme(readTheme());
// Radix creates style elements: the policy of the page accepts those with its nonce.
setNonce(readNonce());
const client = createQueryClient();
onSessionEnd(() => client.setQueryData(sessionQuery.queryKey, null));
const root = document.getElementById('root');
if (!root) throw new Error('The page has no root element.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
