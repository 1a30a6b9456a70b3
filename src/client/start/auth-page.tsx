import { Auth } from '../auth/auth.tsx';
import { paths } from '../paths.ts';
import { hydrate } from './frame/drawing.tsx';
import { SignedOutOnly } from './guards/guards.tsx';

hydrate((pathname) => pathname === paths.auth, <SignedOutOnly screen={Auth} />);
