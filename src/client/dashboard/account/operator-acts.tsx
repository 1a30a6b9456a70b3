/** What the operator did to this account, with the reason. Nothing is shown where there is nothing to tell. */
import type { OperatorAct } from '#shared/operator-acts.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { FRESH } from '../../signed-in/part.ts';
import { shortDateTime } from '../../signed-in/short-date-time.ts';
import styles from './account-care.module.css';

export function OperatorActs() {
  const { data: acts = [] } = trpc.auth.operatorActs.useQuery(undefined, FRESH);
  if (acts.length === 0) return null;
  return (
    <section className={styles.part} aria-labelledby="operator-acts">
      <h3 className={styles.heading} id="operator-acts">
        What the operator did to your account
      </h3>
      <ul className={styles.sessions}>
        {acts.map((act) => (
          <li key={`${act.at} ${act.action}`} className={styles.session}>
            <Act act={act} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Act({ act: { text, reason, at } }: { readonly act: OperatorAct }) {
  return (
    <p className={styles.words}>
      {text}
      <br />
      <span className={styles.since}>
        <time dateTime={at}>{shortDateTime(at)}</time>
        {reason !== null && (
          <>
            {' · '}Reason: <bdi>{reason}</bdi>
          </>
        )}
      </span>
    </p>
  );
}
