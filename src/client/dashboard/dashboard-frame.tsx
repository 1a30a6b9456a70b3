/** The dashboard as the server renders it, the same for everybody. start/kept-frame.ts fills in the kept codes. */
import { Download } from 'lucide-react';
import type { ComponentProps } from 'react';
import { brand } from '#shared/brand.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { KEPT_KEY } from '../api-client/service-worker.ts';
import { Tabs } from '../controls/tabs.tsx';
import { DASHBOARD_TABS, dashboardTab } from '../later/addresses.ts';
import { paths } from '../paths.ts';
import { Badge } from '../ui/badge.tsx';
import button from '../ui/button.module.css';
import cardStyles from '../ui/card.module.css';
import { Screen } from '../ui/screen.tsx';
import { Skeleton } from '../ui/states.tsx';
import card from './codes/qr-code-card.module.css';
import codes from './codes/qr-codes.module.css';
import overview from './overview.module.css';
import { TAB_LABELS } from './shared/labels.ts';
import { CodeOnScreen } from './shift/code-on-screen.tsx';

export function DashboardFrame() {
  return (
    <div
      data-frame={KEPT_KEY}
      data-token={brand.tokenStorageKey}
      data-labels={JSON.stringify(CATEGORY_LABELS)}
    >
      <div data-part="overview">
        <Screen title="Dashboard" actions={<Room>Logout</Room>}>
          <div className={overview.welcome}>
            <h1 className={overview.heading}>
              Welcome
              <span data-part="name">
                , <bdi data-fill="fullName" />
              </span>
            </h1>
            <p role="status">Loading Dashboard...</p>
            <noscript>
              <p>The dashboard takes JavaScript. Please switch it on and load this page again.</p>
            </noscript>
          </div>
          <Tabs
            label="Your dashboard"
            value="qr-codes"
            tabs={DASHBOARD_TABS.map((value) => ({
              value,
              href: dashboardTab(value),
              label: TAB_LABELS[value],
              panel: value === 'qr-codes' ? <Codes /> : null,
            }))}
          />
        </Screen>
      </div>
      <div data-part="shift">
        <CodeOnScreen code={null} name="" />
      </div>
    </div>
  );
}

function Codes() {
  return (
    <>
      <ul className={codes.codes} data-part="codes">
        <li>
          <article className={[cardStyles.card, card.card].join(' ')}>
            <img className={card.picture} alt="" width={720} height={720} />
            <div className={card.head}>
              <h2 data-fill="service">QR Code</h2>
              <Badge>
                <span data-fill="status" />
              </Badge>
            </div>
            <div className={card.tonight}>
              <div className={card.sum}>
                <Skeleton height="line" />
              </div>
              <span>tonight</span>
            </div>
            <div className={card.actions}>
              <a
                className={[button.button, button.primary, card.main].join(' ')}
                href={paths.dashboard}
                data-fill="link"
              >
                Start Shift
              </a>
              <Room className={card.download}>
                <Download aria-hidden />
                <span>Download QR</span>
              </Room>
              <Room>Manage</Room>
            </div>
          </article>
        </li>
      </ul>
      <div className={codes.codes} data-part="sketch">
        {['a', 'b'].map((place) => (
          <div key={place} className={codes.sketch}>
            <Skeleton height="card" />
          </div>
        ))}
      </div>
    </>
  );
}

/** The room of a button that works with the script only. */
function Room({ className, children }: Pick<ComponentProps<'span'>, 'className' | 'children'>) {
  return (
    <span data-part="room" className={[button.button, button.quiet, className].filter(Boolean).join(' ')}>
      {children}
    </span>
  );
}
