// Every screen of such a page calls the server, so that the API client is not fetched apart.
import '../api-client/api.ts';
// Browsers offer to install the app before the first screen is fetched.
import '../api-client/install-offer.ts';
import { draw } from './frame/drawing.tsx';
import { Routes } from './routes.tsx';

draw(<Routes />);
