/** The script of the rendered landing page. */
import { Landing } from '../landing/landing.tsx';
import { paths } from '../paths.ts';
import { SignedOutOnly } from '../session/guards.tsx';
import { hydrate } from './hydrate.tsx';

hydrate((pathname) => pathname === paths.home, <SignedOutOnly screen={Landing} />);
