/** The script of the rendered login and sign-up page. */
import { Auth } from '../auth/auth.tsx';
import { paths } from '../paths.ts';
import { SignedOutOnly } from '../session/guards.tsx';
import { hydrate } from './hydrate.tsx';

hydrate((pathname) => pathname === paths.auth, <SignedOutOnly screen={Auth} />);
