/** The last parts of the profile: the export of the data, and the closing of the account. */
import { Download } from 'lucide-react';
import { useState } from 'react';
import type { User } from '#shared/accounts.ts';
import { CLOSING_GRACE_DAYS } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';
import { Button } from '../../ui/button.tsx';
import styles from './account-care.module.css';
import { CloseAccount } from './close-account.tsx';
import { type DataDownload, useDataDownload } from './download-data.ts';

export function Leaving({ user }: { readonly user: User }) {
  const data = useDataDownload();
  const [isClosing, setClosing] = useState(false);
  return (
    <>
      <section className={styles.part} aria-labelledby="your-data">
        <h3 className={styles.heading} id="your-data">
          Your data
        </h3>
        <p>
          Everything that {brand.name} stores about you, as one ZIP file: your profile, logins
          {user.isServiceProvider && ', QR codes with their photos'} and tips. The tips are there as a table
          for spreadsheets too.
        </p>
        <DownloadButton data={data} isShowingFailure={!isClosing} />
      </section>
      <section className={styles.part} aria-labelledby="close-account">
        <h3 className={styles.heading} id="close-account">
          Close your account
        </h3>
        <p>
          You are logged out everywhere, and what {brand.name} knows about you is erased. You have{' '}
          {CLOSING_GRACE_DAYS} days to change your mind.
        </p>
        <Button
          look="quiet"
          className={styles.action}
          aria-haspopup="dialog"
          onClick={() => setClosing(true)}
        >
          Close Account
        </Button>
      </section>
      {isClosing && (
        <CloseAccount user={user} data={data} onCancel={() => setClosing(false)}>
          <DownloadButton data={data} isShowingFailure />
        </CloseAccount>
      )}
    </>
  );
}

interface DownloadButtonProps {
  readonly data: DataDownload;
  /** Only one of the two buttons shows the failure. */
  readonly isShowingFailure: boolean;
}

function DownloadButton({ data, isShowingFailure }: DownloadButtonProps) {
  return (
    <>
      <Button look="quiet" className={styles.action} aria-disabled={data.isUnderWay} onClick={data.start}>
        <Download aria-hidden /> {data.isUnderWay ? 'Preparing...' : 'Download My Data'}
      </Button>
      {isShowingFailure && data.failure !== null && (
        <p role="alert" className={styles.failure}>
          {data.failure}
        </p>
      )}
    </>
  );
}
