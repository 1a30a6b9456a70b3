/** The script of the login and sign-up page, which arrives empty but has its screen at hand. */
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { AuthFirst } from './auth-first.tsx';
import { clientRoot } from './client-root.ts';
import { Elsewhere } from './elsewhere.ts';

createRoot(clientRoot()).render(
  <App>
    <AuthFirst elsewhere={Elsewhere} />
  </App>,
);
