/** The script of the rendered landing page. */
import { hydrate } from './hydrate.tsx';
import { Landing } from './landing/landing.tsx';
import { fetchedScreens } from './screens.ts';

hydrate({ ...fetchedScreens, Landing });
