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
  type PrintFormat,
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
  const [choices, setChoices] = useState<PrintChoices>(() => ({
    paper: paperOf(navigator.language),
    isSaving: false,
    isForShop: false,
  }));
  const printing = usePrinting(code);
  const isOff = isOwnMachine(code.url);
  const name = code.displayName ?? user.fullName;
  return (
    <div className={styles.kit}>
      <p className={styles.whose}>
        <bdi>{name}</bdi> · {CATEGORY_LABELS[code.serviceCategory]}
      </p>
      {isOff && <NothingPrinted url={code.url} />}
      <MissingLetters words={`${name} ${code.greeting ?? ''}`} />
      <Choices choices={choices} onChange={setChoices} />
      <ul className={styles.sheets}>
        {PRINT_FORMATS.map((format) => (
          <Sheet key={format} format={format} choices={choices} printing={printing} isOff={isOff} />
        ))}
      </ul>
      <BareCode printing={printing} isOff={isOff} />
    </div>
  );
}

interface PrintChoices {
  readonly paper: Paper;
  /** Saving ink. */
  readonly isSaving: boolean;
  readonly isForShop: boolean;
}

interface ChoicesProps {
  readonly choices: PrintChoices;
  readonly onChange: (choices: PrintChoices) => void;
}

function Choices({ choices, onChange }: ChoicesProps) {
  const { paper, isSaving, isForShop } = choices;
  return (
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
              onChange={() => onChange({ ...choices, paper: one })}
            >
              {PAPER_LABELS[one]}
            </Choice>
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend className={styles.legend}>Printing</legend>
        <div className={styles.choices}>
          <Choice checked={isSaving} onChange={() => onChange({ ...choices, isSaving: !isSaving })}>
            Save ink
          </Choice>
          <Choice
            checked={isForShop}
            onChange={() => onChange({ ...choices, isForShop: !isForShop })}
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
  );
}

interface SheetProps {
  readonly format: PrintFormat;
  readonly choices: PrintChoices;
  readonly printing: Printing;
  readonly isOff: boolean;
}

function Sheet({ format, choices: { paper, isSaving, isForShop }, printing, isOff }: SheetProps) {
  const { name, description, forShop = description } = PRINT_LABELS[format];
  const print: Print = {
    file: `${format}.pdf`,
    paper,
    ink: isSaving ? 'saving' : 'full',
    for: isForShop ? 'printer' : 'office',
  };
  return (
    <li className={styles.sheet}>
      <SheetPicture format={format} isSaving={isSaving} />
      <div className={styles.words}>
        <h3>{name}</h3>
        <p className={styles.use}>{isForShop ? forShop : description}</p>
        <DownloadButton
          name={name}
          label="Download"
          isOff={isOff}
          underWay={printing.underWay}
          onClick={() => printing.save(name, print)}
        />
        <Failure text={printing.failureOf(name)} />
      </div>
    </li>
  );
}

function BareCode({ printing, isOff }: Pick<SheetProps, 'printing' | 'isOff'>) {
  return (
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
            underWay={printing.underWay}
            onClick={() => printing.save(label, picture)}
          />
        ))}
      </div>
      {PICTURES.map(({ label }) => (
        <Failure key={label} text={printing.failureOf(label)} />
      ))}
    </section>
  );
}

/** @param locale a tag of BCP 47. */
function paperOf(locale: string): Paper {
  const { region = '' } = new Intl.Locale(locale).maximize();
  return LETTER_REGIONS.includes(region) ? 'letter' : 'a4';
}

interface Printing {
  readonly underWay: string | null;
  readonly save: (name: string, print: Print) => void;
  readonly failureOf: (name: string) => string | null;
}

function usePrinting({ id }: QrCode): Printing {
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
    save: (name, print) => void save(name, print),
    failureOf: (name) => (failed?.name === name ? failed.text : null),
  };
}

interface DownloadButtonProps {
  readonly name: string;
  readonly label: string;
  readonly isOff: boolean;
  /** The name of the print that is being made: no other one is made meanwhile. */
  readonly underWay: string | null;
  readonly onClick: () => void;
}

function DownloadButton({ name, label, isOff, underWay, onClick }: DownloadButtonProps) {
  return (
    <Button
      look="quiet"
      className={styles.download}
      disabled={isOff}
      aria-disabled={underWay !== null || undefined}
      aria-label={`Download ${name}`}
      onClick={onClick}
    >
      <Download aria-hidden /> {underWay === name ? 'Making...' : label}
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
