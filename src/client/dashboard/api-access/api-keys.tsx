/** The keys by which programs work with the account. */
import care from '../account/account-care.module.css';

export function ApiKeys() {
  return (
    <section className={care.part} aria-labelledby="api-keys">
      <h3 className={care.heading} id="api-keys">
        API keys
      </h3>
      <p>
        A program can read your tips and codes for you.{' '}
        <a href="/api/docs" target="_blank" rel="noreferrer">
          How programs do it
        </a>
      </p>
    </section>
  );
}
