import { isTipPage } from '../paths.ts';
import { Tip } from '../tip/tip.tsx';
import { hydrate } from './frame/drawing.tsx';

hydrate(isTipPage, <Tip />);
