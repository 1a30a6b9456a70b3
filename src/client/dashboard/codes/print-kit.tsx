/** The prints of a code, each with a picture and a button that downloads it. */
import '../../ui/later/zod-without-eval.ts';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { isOwnMachine } from '#shared/own-machine.ts';
import {
  type Ink,
  PAPER_LABELS,
  PAPERS,
  type Paper,
  PRINT_FORMATS,
  PRINT_LABELS,
  type PrintFile,
  type PrintTarget,
} from '#shared/print.ts';
import { lettersNotPrinted } from '#shared/printed-letters.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { api, failureOf } from '../../api-client/api.ts';
import { Choice } from '../../controls/choice.tsx';
import type { KeptUser } from '../../signed-in/kept-dashboard.ts';
import { bytesFrom, saveFile } from '../../signed-in/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { noteCodeShown } from '../shared/code-shown.ts';
import { Note } from './own-machine-note.tsx';
import styles from './print-kit.module.css';
import { SheetPicture } from './sheet-picture.tsx';

/** The bare code; sizes are in pixels. */
const PICTURES = [
  { file: 'code.svg', label: 'SVG' },
  { file: 'code.png', label: 'PNG, 512 px', size: 512 },
  { file: 'code.png', label: 'PNG, 1024 px', size: 1024 },
  { file: 'code.png', label: 'PNG, 2048 px', size: 2048 },
] as const;

interface Print {
  readonly file: PrintFile;
  readonly paper?: Paper;
  readonly ink?: Ink;
  readonly for?: PrintTarget;
  readonly size?: number;
}

/** Regions whose paper has the sizes of ANSI, and not of ISO 216. */
const LETTER_REGIONS = ['US', 'CA', 'MX'];

interface PrintKitProps {
  readonly code: QrCode;
  readonly user: KeptUser;
}

export function PrintKit({ code, user }: PrintKitProps) {
  const [paper, setPaper] = useState<Paper>(() => paperOf(navigator.language));
  const [isSaving, setSaving] = useState(false);
  const [isForShop, setForShop] = useState(false);
  const printing = usePrinting(code);
  const isOff = isOwnMachine(code.url);
  const name = code.displayName ?? user.fullName;
  const options = {
    paper,
    ink: isSaving ? 'saving' : 'full',
    for: isForShop ? 'printer' : 'office',
  } as const;

  return (
    <div className={styles.kit}>
      <p className={styles.whose}>
        <bdi>{name}</bdi> · {CATEGORY_LABELS[code.serviceCategory]}
      </p>
      {isOff && <NothingPrinted url={code.url} />}
      <MissingLetters words={`${name} ${code.greeting ?? ''}`} />
      <div className={styles.options}>
        <fieldset>
          <legend className={styles.legend}>Paper</legend>
          <div className={styles.choices}>
            {PAPERS.map((one) => (
              <Choice
                key={one}
                type="radio"
                name="paper"
                checked={paper === one}
                onChange={() => setPaper(one)}
              >
                {PAPER_LABELS[one]}
              </Choice>
            ))}
          </div>
        </fieldset>
        <fieldset>
          <legend className={styles.legend}>Printing</legend>
          <div className={styles.choices}>
            <Choice checked={isSaving} onChange={() => setSaving(!isSaving)}>
              Save ink
            </Choice>
            <Choice
              checked={isForShop}
              onChange={() => setForShop(!isForShop)}
              aria-describedby={isForShop ? 'for-shop' : undefined}
            >
              For a print shop
            </Choice>
          </div>
        </fieldset>
        {isForShop && (
          <p id="for-shop" className={styles.use}>
            One piece in each file, with 3 mm of bleed and crop marks.
          </p>
        )}
      </div>
      <ul className={styles.sheets}>
        {PRINT_FORMATS.map((format) => {
          const { name, description, forShop = description } = PRINT_LABELS[format];
          return (
            <li key={format} className={styles.sheet}>
              <SheetPicture format={format} isSaving={isSaving} />
              <div className={styles.words}>
                <h3>{name}</h3>
                <p className={styles.use}>{isForShop ? forShop : description}</p>
                <DownloadButton
                  name={name}
                  label="Download"
                  isOff={isOff}
                  isUnderWay={printing.underWay === name}
                  onClick={() => printing.save(name, { file: `${format}.pdf`, ...options })}
                />
                <Failure text={printing.failureOf(name)} />
              </div>
            </li>
          );
        })}
      </ul>
      <section className={styles.bare} aria-labelledby="bare-code">
        <h3 id="bare-code">Only the code</h3>
        <p className={styles.use}>For a design of your own: SVG for print, PNG for screens.</p>
        <div className={styles.pictures}>
          {PICTURES.map(({ label, ...picture }) => (
            <DownloadButton
              key={label}
              name={label}
              label={label}
              isOff={isOff}
              isUnderWay={printing.underWay === label}
              onClick={() => printing.save(label, picture)}
            />
          ))}
        </div>
        {PICTURES.map(({ label }) => (
          <Failure key={label} text={printing.failureOf(label)} />
        ))}
      </section>
    </div>
  );
}

/** @param locale a tag of BCP 47. */
function paperOf(locale: string): Paper {
  const { region = '' } = new Intl.Locale(locale).maximize();
  return LETTER_REGIONS.includes(region) ? 'letter' : 'a4';
}

function usePrinting({ id }: QrCode) {
  const [underWay, setUnderWay] = useState<string | null>(null);
  const [failed, setFailed] = useState<{ readonly name: string; readonly text: string } | null>(null);

  async function save(name: string, print: Print): Promise<void> {
    if (underWay !== null) return;
    setUnderWay(name);
    setFailed(null);
    try {
      const { base64, type, fileName } = await api.qrCodes.print.query({ id, ...print });
      saveFile(bytesFrom(base64), type, fileName);
      noteCodeShown();
    } catch (error) {
      const text = failureOf(error).detail ?? 'It could not be made. Check your connection and try again.';
      setFailed({ name, text });
    } finally {
      setUnderWay(null);
    }
  }

  return {
    underWay,
    save: (name: string, print: Print) => void save(name, print),
    failureOf: (name: string) => (failed?.name === name ? failed.text : null),
  };
}

interface DownloadButtonProps {
  readonly name: string;
  readonly label: string;
  readonly isOff: boolean;
  readonly isUnderWay: boolean;
  readonly onClick: () => void;
}

function DownloadButton({ name, label, isOff, isUnderWay, onClick }: DownloadButtonProps) {
  return (
    <Button
      look="quiet"
      className={styles.download}
      disabled={isOff}
      aria-disabled={isUnderWay || undefined}
      aria-label={`Download ${name}`}
      onClick={onClick}
    >
      <Download aria-hidden /> {isUnderWay ? 'Making...' : label}
    </Button>
  );
}

function Failure({ text }: { readonly text: string | null }) {
  return text === null ? null : (
    <p role="alert" className={styles.failure}>
      {text}
    </p>
  );
}

function NothingPrinted({ url }: { readonly url: string }) {
  return (
    <Note>
      Nothing is printed yet: this code leads to <bdi>{new URL(url).origin}</bdi>, which only this computer
      can open. Set PUBLIC_URL to the address that phones reach this site at, and start the server again.
    </Note>
  );
}

function MissingLetters({ words }: { readonly words: string }) {
  const letters = lettersNotPrinted(words);
  if (letters.length === 0) return null;
  return (
    <Note>
      The sheets have no typeface for <bdi>{letters.join(' ')}</bdi>, and show a sign in place of each. Look
      at a sheet before you print it.
    </Note>
  );
}
