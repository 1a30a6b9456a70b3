/** The ready thank-yous in the profile. */
import { useState } from 'react';
import { toastSuccess } from '../../toasts.ts';
import { LeaveQuestion, useUnsaved } from '../../ui/later/unsaved.tsx';
import { Loading, Problem } from '../../ui/states.tsx';
import styles from './messages.module.css';
import { useReadyThankYous } from './thank-yous.ts';
import { ThankYousForm } from './thank-yous-form.tsx';

export function OwnThankYous() {
  const { texts, retry } = useReadyThankYous();
  const [isTyped, setTyped] = useState(false);
  const unsaved = useUnsaved(isTyped, () => setTyped(false));
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
      <ThankYousForm
        texts={texts.data}
        onUnsavedChange={setTyped}
        onSaved={() => unsaved.finish(() => toastSuccess('Thank-yous saved', 'thank-yous'))}
      />
      <LeaveQuestion unsaved={unsaved}>
        <p>Your thank-yous have changes that are not saved.</p>
      </LeaveQuestion>
    </div>
  );
}
