/** The script of the rendered landing page. */
import { hydrate } from './hydrate.tsx';
import { LandingFirst } from './landing-first.tsx';

hydrate(LandingFirst);
