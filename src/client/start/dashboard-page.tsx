// Its screens call the server, so that the API client is not fetched apart.
import '../api-client/api.ts';
// Browsers offer to install the app soon after the page was loaded.
import '../api-client/install-offer.ts';
// The rendered frame needs its styles, and nothing else of it is drawn here.
import '../dashboard/dashboard-frame.css';
import { Dashboard, keptUser } from '../dashboard/dashboard.tsx';
import { paths } from '../paths.ts';
import { drawOver } from './frame/drawing.tsx';
import { SignedInOrKept } from './guards/guards.tsx';

const frame = document.querySelector('[data-frame]');

/** The frame that arrived with the page stays until the session is known, which takes a slow phone a while. */
const checking = frame && <div ref={(place) => place?.append(frame)} />;

drawOver(
  (pathname) => pathname === paths.dashboard,
  <SignedInOrKept screen={Dashboard} kept={keptUser} checking={checking} />,
);
