/** The script of a page that arrives empty. */
import { createRoot } from 'react-dom/client';
// Every screen of such a page calls the server: the API client need not be fetched apart.
import '../api.ts';
// Browsers offer to install the app before the first screen is fetched.
import '../install-offer.ts';
import { App } from './app.tsx';
import { clientRoot, fetchDisplayFont } from './client-root.ts';
import { Routes } from './routes.tsx';

void fetchDisplayFont();
createRoot(clientRoot()).render(
  <App>
    <Routes />
  </App>,
);
