/** Puts the client into a page that arrives empty. */
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { clientRoot } from './client-root.ts';
import { Routes } from './routes.tsx';

createRoot(clientRoot()).render(
  <App>
    <Routes />
  </App>,
);
