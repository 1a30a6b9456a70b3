/** The script of a rendered tip page. */
import { hydrate } from './hydrate.tsx';
import { TipFirst } from './tip-first.tsx';

hydrate(TipFirst);
