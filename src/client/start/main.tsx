/** Puts the client into a page that arrives empty. */
import { createRoot } from 'react-dom/client';
// Every screen that arrives empty calls the server: its client is not worth a round trip of its own here.
import '../api.ts';
import { App } from './app.tsx';
import { clientRoot } from './client-root.ts';
import { fetchDisplayFont } from './display-font.ts';
import { Routes } from './routes.tsx';

void fetchDisplayFont();
createRoot(clientRoot()).render(
  <App>
    <Routes />
  </App>,
);
