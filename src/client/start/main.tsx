/** The script of a page that arrives empty. */
import { createRoot } from 'react-dom/client';
// Every screen of such a page calls the server: the API client need not be fetched apart.
import '../api/api.ts';
// Browsers offer to install the app before the first screen is fetched.
import '../api/install-offer.ts';
import { App } from './frame/app.tsx';
import { clientRoot, fetchDisplayFont } from './frame/client-root.ts';
import { Routes } from './routes.tsx';

void fetchDisplayFont();
createRoot(clientRoot()).render(
  <App>
    <Routes />
  </App>,
);
