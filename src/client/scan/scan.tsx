/**
 * The scan screen: a code or a link is typed or pasted, until the camera can read it.
 */
import { navigate } from 'wouter/use-browser-location';
import { paths } from '../paths.ts';
import { ButtonLink } from '../ui/button-link.tsx';
import { ScreenHeading } from '../ui/heading.tsx';
import { ArrowLeftIcon } from '../ui/icons.tsx';
import { Screen } from '../ui/screen.tsx';
import { CodeForm } from './code-form.tsx';
import { DemoCodes } from './demo-codes.tsx';
import styles from './scan.module.css';
import { Viewfinder } from './viewfinder.tsx';

export function Scan() {
  return (
    <Screen
      title="Scan QR Code"
      actions={
        <ButtonLink look="quiet" href={paths.dashboard}>
          <ArrowLeftIcon /> Back to Dashboard
        </ButtonLink>
      }
    >
      <ScreenHeading>Scan QR Code</ScreenHeading>
      <div className={styles.spread}>
        <Viewfinder />
        <div className={styles.ways}>
          <CodeForm onCode={(code) => navigate(paths.tip(code))} />
          <DemoCodes />
        </div>
      </div>
    </Screen>
  );
}
