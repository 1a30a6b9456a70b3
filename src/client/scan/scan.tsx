/**
 * The scan screen: a code is read by the camera or from a picture, or a code or a link is typed or pasted.
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
import { Scanner } from './scanner.tsx';

const follow = (code: string) => navigate(paths.tip(code));

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
        <Scanner onCode={follow} />
        <div className={styles.ways}>
          <CodeForm onCode={follow} />
          <DemoCodes />
        </div>
      </div>
    </Screen>
  );
}
