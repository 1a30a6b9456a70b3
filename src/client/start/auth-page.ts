/** The script of the rendered login and sign-up page. */
import { AuthFirst } from './auth-first.tsx';
import { hydrate } from './hydrate.tsx';

hydrate(AuthFirst);
