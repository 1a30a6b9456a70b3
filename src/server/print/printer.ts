/** Prints a code: sheets of the print kit, and the bare code. */
import { brand } from '#shared/brand.ts';
import type { Clock } from '#shared/calendar.ts';
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import { AppError } from '#shared/errors.ts';
import { type QrCodeId, showQrCodeId, tipPageUrl } from '#shared/ids.ts';
import { isOwnMachine } from '#shared/own-machine.ts';
import type { Printed, PrintFile, PrintRequest, PrintTarget } from '#shared/print.ts';
import { SOFTWARE } from '#shared/software.ts';
import type { WorkOwner } from '../queue/work-queue.ts';
import type { Drawing, DrawingOrder, SheetBrand } from './drawing.ts';

export interface PrintablePage {
  readonly id: QrCodeId;
  readonly serviceCategory: ServiceCategory;
  readonly name: string;
  readonly greeting: string | null;
  readonly photo: Uint8Array | null;
}

export interface Printer {
  /** @throws AppError `public_url_is_local` while other machines cannot open the code; errors of the drawing. */
  print(owner: WorkOwner, page: PrintablePage, request: Omit<PrintRequest, 'id'>): Promise<Printed>;
}

export function createPrinter(deps: {
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly drawing: Pick<Drawing, 'draw'>;
  readonly own?: Pick<SheetBrand, 'fill' | 'logo'>;
}): Printer {
  const { publicUrl, clock, drawing } = deps;
  const own: SheetBrand = { siteName: brand.name, fill: null, logo: null, ...deps.own };
  const isOwn = own.siteName !== SOFTWARE || own.fill !== null || own.logo !== null;
  const isLocal = isOwnMachine(publicUrl);

  function orderOf(
    { id, serviceCategory, name, greeting, photo }: PrintablePage,
    { file, paper, ink, size, for: target }: Omit<PrintRequest, 'id'>,
  ): DrawingOrder {
    const address = tipPageUrl(publicUrl, id);
    if (file === 'code.svg') return { file, address };
    if (file === 'code.png') return { file, address, size };
    return {
      file,
      address,
      paper,
      ink,
      for: target,
      name,
      greeting,
      photo,
      service: CATEGORY_LABELS[serviceCategory],
      codeId: showQrCodeId(id),
      madeAtMs: clock(),
      ...(isOwn && { own }),
    };
  }

  return {
    async print(owner, page, request) {
      if (isLocal) throw new AppError('public_url_is_local');
      const { file, for: target } = request;
      const bytes = await drawing.draw(owner, orderOf(page, request));
      return {
        fileName: `${brand.linkScheme}-${showQrCodeId(page.id)}-${fileNameFor(target, file)}`,
        type: typeOf(file),
        base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
      };
    },
  };
}

/** Names tell the target, because both kinds of a sheet may lie in one folder. */
function fileNameFor(target: PrintTarget, file: PrintFile): string {
  return target === 'printer' ? file.replace(/\.pdf$/, '-printer.pdf') : file;
}

function typeOf(file: PrintFile): Printed['type'] {
  if (file === 'code.svg') return 'image/svg+xml';
  return file === 'code.png' ? 'image/png' : 'application/pdf';
}
