/**
 * The scan screen: a code or a link is typed or pasted, until the camera can read it.
 */
import { navigate } from 'wouter/use-browser-location';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { ScreenHeading } from '../ui/heading.tsx';
import { ArrowLeftIcon } from '../ui/icons.tsx';
import { Screen } from '../ui/screen.tsx';
import { CodeForm } from './code-form.tsx';
import { DemoCodes } from './demo-codes.tsx';
import styles from './scan.module.css';
import { Viewfinder } from './viewfinder.tsx';

export function Scan() {
  const open = (code: string) => navigate(paths.tip(code));
  return (
    <Screen
      title="Scan QR Code"
      actions={
        <Button look="quiet" onClick={() => navigate(paths.dashboard)}>
          <ArrowLeftIcon /> Back to Dashboard
        </Button>
      }
    >
      <ScreenHeading>Scan QR Code</ScreenHeading>
      <div className={styles.spread}>
        <Viewfinder />
        <div className={styles.ways}>
          <CodeForm onCode={open} />
          <DemoCodes onCode={open} />
        </div>
      </div>
    </Screen>
  );
}
