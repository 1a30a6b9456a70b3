/** All other screens, for a page that begins with one: the route table is fetched when somebody leaves it. */
import { lazy } from 'react';

export const Elsewhere = lazy(() => import('./routes.tsx').then(({ Routes }) => ({ default: Routes })));
