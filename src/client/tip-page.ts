/** The script of a rendered tip page. */
import { hydrate } from './hydrate.tsx';
import { fetchedScreens } from './screens.ts';
import { Tip } from './tip/tip.tsx';

hydrate({ ...fetchedScreens, Tip });
