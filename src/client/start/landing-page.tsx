import { Landing } from '../landing/landing.tsx';
import { paths } from '../paths.ts';
import { hydrate } from './frame/drawing.tsx';
import { SignedOutOnly } from './guards/guards.tsx';

hydrate((pathname) => pathname === paths.home, <SignedOutOnly screen={Landing} />);
