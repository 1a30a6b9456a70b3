import { isTipPage } from '../paths.ts';
import { fetchLate, Tip } from '../tip/tip.tsx';
import { hydrate } from './frame/drawing.tsx';

const draw = () => hydrate(isTipPage, <Tip />);

if (document.querySelector('[type=radio]')) draw();
// What was rendered of a code that takes no tips stays where the part that draws it cannot be fetched.
else fetchLate().then(draw, () => document.dispatchEvent(new Event('failed')));
