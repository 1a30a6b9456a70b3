/** The route table: the path and the guard of each screen. A screen is fetched when it is first visited. */
import { lazy, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { LINK_PATHS } from '#shared/mail-paths.ts';
import { GUEST_RECEIPT_PREFIX } from '#shared/page-paths.ts';
import { transactionIdIn } from '../later/addresses.ts';
import { isTipPage, paths } from '../paths.ts';
import { useSession } from '../session/session.ts';
import { SignedInOnly, SignedOutOnly } from './guards/guards.tsx';

const Landing = lazy(() => import('../landing/landing.tsx').then(({ Landing }) => ({ default: Landing })));
const Auth = lazy(() => import('../auth/auth.tsx').then(({ Auth }) => ({ default: Auth })));
const Reset = lazy(() => import('../auth/reset.tsx').then(({ Reset }) => ({ default: Reset })));
const Confirm = lazy(() => import('../auth/confirm.tsx').then(({ Confirm }) => ({ default: Confirm })));
const Dashboard = lazy(() =>
  import('../dashboard/dashboard.tsx').then(({ Dashboard }) => ({ default: Dashboard })),
);
const OwnPassword = lazy(() =>
  import('../dashboard/account/own-password.tsx').then(({ OwnPassword }) => ({ default: OwnPassword })),
);
const SecureAccount = lazy(() =>
  import('../dashboard/account/secure-account.tsx').then(({ SecureAccount }) => ({ default: SecureAccount })),
);
const Scan = lazy(() => import('../scan/scan.tsx').then(({ Scan }) => ({ default: Scan })));
const ReceiptPage = lazy(() =>
  import('../receipt/receipt-page.tsx').then(({ ReceiptPage }) => ({ default: ReceiptPage })),
);
const GuestReceiptPage = lazy(() =>
  import('../receipt/guest-receipt-page.tsx').then(({ GuestReceiptPage }) => ({ default: GuestReceiptPage })),
);
const Statement = lazy(() =>
  import('../statement/statement.tsx').then(({ Statement }) => ({ default: Statement })),
);
const Tip = lazy(() => import('../tip/tip.tsx').then(({ Tip }) => ({ default: Tip })));
const NotFound = lazy(() => import('./not-found.tsx').then(({ NotFound }) => ({ default: NotFound })));

export function Routes() {
  const [pathname] = useLocation();
  const session = useSession();
  if (session.status === 'signed-in') {
    const { user } = session;
    if (user.mustChangePassword) return <OwnPassword user={user} />;
    if (user.mustAddSecondFactor) return <SecureAccount user={user} />;
  }
  return screenAt(pathname);
}

/** @param pathname is compared undecoded. */
export function screenAt(pathname: string): ReactElement {
  if (isTipPage(pathname)) return <Tip />;
  if (transactionIdIn(pathname) !== null) return <SignedInOnly screen={ReceiptPage} />;
  if (pathname.startsWith(GUEST_RECEIPT_PREFIX)) return <GuestReceiptPage />;
  switch (pathname) {
    case paths.home:
      return <SignedOutOnly screen={Landing} />;
    case paths.auth:
      return <SignedOutOnly screen={Auth} />;
    case LINK_PATHS.reset:
      return <Reset />;
    case LINK_PATHS.confirm:
      return <Confirm />;
    case paths.dashboard:
      return <SignedInOnly screen={Dashboard} />;
    case paths.scan:
      return <SignedInOnly screen={Scan} />;
    case paths.statement:
      return <SignedInOnly screen={Statement} />;
    default:
      return <NotFound />;
  }
}
