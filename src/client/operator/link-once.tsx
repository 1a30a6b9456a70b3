/** A link that is shown once, as a button that copies it. It asks before a link that nobody has copied is lost. */
import { useState } from 'react';
import { LeaveQuestion, useUnsaved } from '../ui/later/unsaved.tsx';
import { CopyButton } from './copy-button.tsx';

export function LinkOnce({ link }: { readonly link: string }) {
  const [mayGo, setMayGo] = useState(false);
  const release = () => setMayGo(true);
  const leaving = useUnsaved(!mayGo, release);
  return (
    <>
      <CopyButton text={link} what="link" onCopied={release} />
      <LeaveQuestion unsaved={leaving} instead={{ title: 'Leave without the link?', stay: 'Show Link' }}>
        <p>It was not copied, and is not shown again.</p>
      </LeaveQuestion>
    </>
  );
}
