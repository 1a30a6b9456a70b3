/** The ready thank-yous in the profile. */
import { toastSuccess } from '../../toasts.ts';
import { Loading, Problem } from '../../ui/states.tsx';
import styles from './messages.module.css';
import { useReadyThankYous } from './thank-yous.ts';
import { ThankYousForm } from './thank-yous-form.tsx';

export function OwnThankYous() {
  const { texts, retry } = useReadyThankYous();
  if (texts.status === 'loading') return <Loading />;
  if (texts.status === 'failed') {
    return (
      <Problem title="Your thank-yous could not be loaded" onRetry={retry}>
        <p>Check your connection and try again.</p>
      </Problem>
    );
  }
  return (
    <div className={styles.form}>
      <p className={styles.note}>
        Tap one on a tip or its notification, and the person who tipped you sees it.
      </p>
      <ThankYousForm texts={texts.data} onSaved={() => toastSuccess('Thank-yous saved', 'thank-yous')} />
    </div>
  );
}
