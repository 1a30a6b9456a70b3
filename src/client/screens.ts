/**
 * The screens, each fetched when it is first gone to.
 */
import { type ComponentType, lazy } from 'react';

export interface Screens {
  readonly Landing: ComponentType;
  readonly Auth: ComponentType;
  readonly Dashboard: ComponentType;
  readonly Scan: ComponentType;
  readonly Tip: ComponentType<{ readonly qrId: string }>;
  readonly NotFound: ComponentType;
}

export const fetchedScreens: Screens = {
  Landing: lazy(() => import('./landing/landing.tsx').then(({ Landing }) => ({ default: Landing }))),
  Auth: lazy(() => import('./auth/auth.tsx').then(({ Auth }) => ({ default: Auth }))),
  Dashboard: lazy(() =>
    import('./dashboard/dashboard.tsx').then(({ Dashboard }) => ({ default: Dashboard })),
  ),
  Scan: lazy(() => import('./scan/scan.tsx').then(({ Scan }) => ({ default: Scan }))),
  Tip: lazy(() => import('./tip/tip.tsx').then(({ Tip }) => ({ default: Tip }))),
  NotFound: lazy(() => import('./ui/not-found.tsx').then(({ NotFound }) => ({ default: NotFound }))),
};
