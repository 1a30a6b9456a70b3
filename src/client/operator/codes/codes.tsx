/** Codes: finding one by its print, and stopping one that was stolen. */
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import type { FoundCode } from '#shared/console/codes.ts';
import { showQrCodeId } from '#shared/ids.ts';
import { toastMessage } from '../../toasts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { ActDialog } from '../act-dialog.tsx';
import { consoleApi, consoleHooks } from '../console-api.ts';
import { Fact, FactRows } from '../facts.tsx';
import styles from '../finding.module.css';
import { Finding, useName } from '../finding.tsx';
import { Acts, Id, Who } from '../parties.tsx';
import { codeLabel } from '../states.ts';
import { When } from '../when.tsx';

export function Codes() {
  const [name, setName] = useName();
  const query = consoleHooks.codes.find.useQuery({ name }, { enabled: name !== '' });
  return (
    <Finding
      label="Code"
      hint="As it is printed, such as ABCDE-FGHJK, or its link."
      none="There is no such code."
      name={name}
      onFind={setName}
      query={query}
    >
      {query.data && <Code key={query.data.id} code={query.data} />}
    </Finding>
  );
}

function Code({ code }: { readonly code: FoundCode }) {
  const [isAsking, setAsking] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const { id, status, owner } = code;
  const takesTips = status === 'active' || status === 'paused';
  return (
    <section className={[card.card, styles.found].join(' ')}>
      <div className={styles.title}>
        <h2 ref={heading} tabIndex={-1}>
          {showQrCodeId(id)}
        </h2>
        <Badge>{codeLabel(status, owner.state)}</Badge>
      </div>
      <FactRows>
        <Fact term="Link">
          <Id>{code.url}</Id>
        </Fact>
        <Fact term="Name on its page">
          <bdi>{code.name}</bdi>
        </Fact>
        <Fact term="Service">{CATEGORY_LABELS[code.serviceCategory]}</Fact>
        <Fact term="Made">
          <When at={code.createdAt} />
        </Fact>
        <Fact term="Provider">
          <Who person={owner} />
        </Fact>
        <Acts acts={code.acts} />
      </FactRows>
      {takesTips && (
        <div className={styles.act}>
          <Button onClick={() => setAsking(true)}>Stop Code</Button>
        </div>
      )}
      {isAsking && (
        <ActDialog
          title={`Stop ${showQrCodeId(id)}?`}
          confirm="Stop Code"
          act={(reason) => consoleApi.codes.stop.mutate({ name: id, reason })}
          onDone={() => {
            // The pressed button goes with the code.
            flushSync(() => setAsking(false));
            heading.current?.focus();
            toastMessage('The code was stopped.');
          }}
          onClose={() => setAsking(false)}
        >
          <p>
            It takes no more tips, for good. <bdi>{owner.fullName}</bdi> reads why, and can make a new code
            for the service.
          </p>
        </ActDialog>
      )}
    </section>
  );
}
