/** A provider's QR codes, and the public look-up of a code. */
import { QR_CODE_ID } from '#shared/ids.ts';
import { PRINT_TYPES, printRequest } from '#shared/print.ts';
import {
  endedQrCode,
  endedQrCodesQuery,
  MAX_PHOTO_BYTES,
  newQrCode,
  photoOfCode,
  providerPage,
  providerQuery,
  qrCode,
  qrCodeChange,
  qrCodeLookup,
  qrCodeQuery,
  tipPageChange,
  typedQrCodeId,
} from '#shared/qr-codes.ts';
import { MAX_USERNAME_LENGTH, USERNAME } from '#shared/usernames.ts';
import { wireSchema } from '../wire.ts';
import { workOwner } from './context.ts';
import { CODE_REFUSALS, endpoint } from './endpoint.ts';
import { ENDED_QR_CODE, QR_CODE, QR_CODE_WITH_PICTURE, TIP_PAGE } from './examples.ts';
import { OWN_CODE } from './parameters.ts';
import {
  callerIfKnown,
  countedProcedure,
  providerProcedure,
  publicProcedure,
  signedInProcedure,
} from './trpc.ts';

export const qrCodeProcedures = {
  list: endpoint(
    {
      rest: 'GET /qr-codes',
      scope: 'codes:read',
      status: 200,
      summary: 'List your QR codes',
      description: [
        'Those that are active or paused, oldest first, each with its picture. A service has one at',
        'most, and customers have none.',
      ],
      answers: { qrCode },
      isList: true,
      response: [QR_CODE_WITH_PICTURE],
    },
    signedInProcedure.query(({ ctx }) => ctx.services.qrCodes.list(ctx.account, workOwner(ctx))),
  ),

  ended: endpoint(
    {
      rest: 'GET /ended-qr-codes',
      scope: 'codes:read',
      status: 200,
      summary: 'List your old QR codes',
      description: [
        'Those that were replaced or retired, the one made last first, page by page. They lead nowhere',
        'any more, and have no pictures.',
      ],
      parameters: [
        {
          name: 'limit',
          in: 'query',
          description: 'How many to answer.',
          schema: wireSchema(endedQrCodesQuery.shape.limit, 'input'),
          example: 50,
        },
        {
          name: 'cursor',
          in: 'query',
          description: 'Where the next page begins, as the `Link` header of the page before says.',
          schema: { type: 'string', pattern: QR_CODE_ID.source },
        },
      ],
      answers: { endedQrCode },
      isList: true,
      pages: { of: 'codes' },
      refusals: ['too_many_requests'],
      response: [ENDED_QR_CODE],
    },
    countedProcedure('lists')
      .input(endedQrCodesQuery)
      .query(({ ctx, input }) => ctx.services.qrCodes.listEnded(ctx.account, input)),
  ),

  create: endpoint(
    {
      rest: 'POST /qr-codes',
      scope: 'codes:write',
      status: 201,
      summary: 'Create a QR code',
      description: [
        'One for each category that you provide. The picture is a PNG that leads to your tip page.',
      ],
      takes: { newQrCode },
      answers: { qrCode },
      refusals: ['providers_only', 'category_not_offered', 'qr_code_exists', 'too_many_requests'],
      request: { service_category: 'bartender' },
      response: QR_CODE_WITH_PICTURE,
    },
    providerProcedure.input(newQrCode).mutation(async ({ ctx, input }) => {
      await ctx.services.limits.countQrCode(ctx.account.id, ctx.key !== null, ctx.quota);
      return ctx.services.qrCodes.create(ctx.account, input.serviceCategory, workOwner(ctx));
    }),
  ),

  update: endpoint(
    {
      rest: 'PATCH /qr-codes/:qr_code_id',
      scope: 'codes:write',
      status: 200,
      summary: 'Change a tip page, pause or resume its code',
      description: [
        'Changes what is sent of the page that givers see, and leaves the rest. A display name of its',
        'own takes the place of your full name, your username and your id for everybody but you. A',
        'paused code shows its page and takes no tips. `thank_you` is told to whoever has tipped; with',
        '`takes_words` false nobody can add a message or a name. With `is_listed` true your public page',
        'leads to the code, and so tells everybody that it is yours.',
      ],
      parameters: [OWN_CODE],
      takes: { tipPageChange },
      answers: { qrCode },
      refusals: [...CODE_REFUSALS, 'too_many_requests'],
      request: { display_name: 'DJ Pat', greeting: TIP_PAGE.greeting, status: 'active' },
      response: { ...QR_CODE_WITH_PICTURE, display_name: 'DJ Pat' },
    },
    countedProcedure('tip_page_change')
      .input(qrCodeChange)
      .mutation(({ ctx, input }) => ctx.services.qrCodes.update(ctx.account, input, workOwner(ctx))),
  ),

  setPhoto: endpoint(
    {
      rest: 'PUT /qr-codes/:qr_code_id/photo',
      scope: 'codes:write',
      status: 200,
      summary: 'Put a photo on a tip page',
      description: [
        'The body is the picture itself, of at most 256 KiB and 2048 x 2048 pixels; what it is, its',
        'bytes say and not its Content-Type. It is drawn anew in at most 512 x 512 pixels, and nothing',
        'else of what was sent is kept.',
      ],
      parameters: [OWN_CODE],
      picture: { field: 'photo', maxBytes: MAX_PHOTO_BYTES, tooLarge: 'photo_too_large' },
      answers: { qrCode },
      refusals: [...CODE_REFUSALS, 'photo_too_large', 'not_a_photo', 'photo_unreadable', 'too_many_requests'],
      response: QR_CODE_WITH_PICTURE,
    },
    countedProcedure('photo')
      .input(photoOfCode)
      .mutation(({ ctx, input }) =>
        ctx.services.qrCodes.setPhoto(ctx.account, input.id, input.photo, workOwner(ctx)),
      ),
  ),

  removePhoto: endpoint(
    {
      rest: 'DELETE /qr-codes/:qr_code_id/photo',
      scope: 'codes:write',
      status: 200,
      summary: 'Take the photo off a tip page',
      description: 'The photo is gone from its address at once.',
      parameters: [OWN_CODE],
      answers: { qrCode },
      refusals: [...CODE_REFUSALS, 'too_many_requests'],
      response: { ...QR_CODE_WITH_PICTURE, photo_url: null },
    },
    countedProcedure('tip_page_change')
      .input(qrCodeQuery)
      .mutation(({ ctx, input }) => ctx.services.qrCodes.removePhoto(ctx.account, input.id, workOwner(ctx))),
  ),

  replace: endpoint(
    {
      rest: 'POST /qr-codes/:qr_code_id/replacement',
      scope: 'codes:write',
      status: 201,
      summary: 'Replace a QR code',
      description: [
        'Gives the service another code, which takes over the tip page. The code before is never paid',
        'again, and says that it was replaced. The request has no body.',
      ],
      parameters: [OWN_CODE],
      answers: { qrCode },
      refusals: [...CODE_REFUSALS, 'providers_only', 'too_many_requests'],
      response: QR_CODE_WITH_PICTURE,
    },
    providerProcedure.input(qrCodeQuery).mutation(async ({ ctx, input }) => {
      await ctx.services.limits.countQrCode(ctx.account.id, ctx.key !== null, ctx.quota);
      return ctx.services.qrCodes.replace(ctx.account, input.id, workOwner(ctx));
    }),
  ),

  print: endpoint(
    {
      rest: 'GET /qr-codes/:qr_code_id/print/:file',
      scope: 'codes:read',
      status: 200,
      summary: 'Print a QR code',
      description: [
        'A sheet to print as it is, at 100 %, with what givers see on the tip page; or the bare code.',
        'It is drawn for you, and nothing of it is kept. A server whose address leads to its own',
        'machine alone prints nothing. A letter that no typeface here has is printed as U+FFFD.',
      ],
      parameters: [
        OWN_CODE,
        {
          name: 'file',
          in: 'path',
          required: true,
          description: 'A sheet in PDF, or the code alone in SVG or PNG.',
          schema: wireSchema(printRequest.shape.file, 'input'),
          example: 'poster.pdf',
        },
        {
          name: 'paper',
          in: 'query',
          description: 'The paper that a sheet is for.',
          schema: wireSchema(printRequest.shape.paper, 'input'),
          example: 'letter',
        },
        {
          name: 'ink',
          in: 'query',
          description: '`saving` leaves every area of a sheet white.',
          schema: wireSchema(printRequest.shape.ink, 'input'),
          example: 'saving',
        },
        {
          name: 'size',
          in: 'query',
          description: 'How many pixels wide `code.png` is.',
          schema: wireSchema(printRequest.shape.size, 'input'),
          example: 2_048,
        },
        {
          name: 'for',
          in: 'query',
          description:
            '`printer` makes a file of one piece for a print shop: with 3 mm of bleed, a trim box, crop marks, and a code of black ink alone.',
          schema: wireSchema(printRequest.shape.for, 'input'),
          example: 'printer',
        },
      ],
      form: 'file',
      fileTypes: PRINT_TYPES,
      refusals: [...CODE_REFUSALS, 'public_url_is_local', 'too_many_requests'],
    },
    countedProcedure('print')
      .input(printRequest)
      .query(async ({ ctx, input: { id, ...request } }) => {
        const page = await ctx.services.qrCodes.findOwnPage(ctx.account, id);
        return ctx.services.printer.print(workOwner(ctx), page, request);
      }),
  ),

  provider: endpoint(
    {
      rest: 'GET /providers/:username',
      status: 200,
      summary: 'Look a provider up',
      description: [
        'What a provider shows under `/@username`: the codes that are listed there, oldest first, with',
        'what their tip pages show. Without one there is no such page.',
      ],
      parameters: [
        {
          name: 'username',
          in: 'path',
          required: true,
          description: 'The username, in any case.',
          schema: { type: 'string', pattern: USERNAME.source, maxLength: MAX_USERNAME_LENGTH },
          example: 'pat',
        },
      ],
      answers: { providerPage },
      refusals: ['provider_not_found'],
      response: {
        username: 'pat',
        full_name: 'Pat Doe',
        codes: [
          {
            id: QR_CODE.id,
            service_category: 'bartender',
            url: QR_CODE_WITH_PICTURE.url,
            name: 'Pat Doe',
            ...TIP_PAGE,
            status: 'active',
          },
        ],
      },
    },
    publicProcedure.input(providerQuery).query(async ({ ctx, input }) => {
      const { qrCodes, tipMessages } = ctx.services;
      return tipMessages.seePage(await qrCodes.findProvider(input.username), await callerIfKnown(ctx));
    }),
  ),

  lookup: endpoint(
    {
      rest: 'GET /qr-codes/:qr_code_id',
      status: 200,
      summary: 'Look a QR code up',
      description: [
        'Whom a code tips, as its tip page shows it. Case, spaces and hyphens do not matter; I and L',
        'read as 1, O as 0.',
      ],
      parameters: [
        {
          name: 'qr_code_id',
          in: 'path',
          field: 'id',
          required: true,
          description: 'The code, as scanned or typed.',
          schema: wireSchema(typedQrCodeId, 'input'),
          example: '7K3MX-9Q2AB',
        },
      ],
      answers: { qrCodeLookup },
      form: 'lasting',
      refusals: [...CODE_REFUSALS],
      response: {
        qr_code: { ...QR_CODE, status: 'active', is_payable: true, takes_words: true },
        service_provider: {
          username: 'pat',
          full_name: 'Pat Doe',
          service_category: 'bartender',
          ...TIP_PAGE,
        },
      },
    },
    publicProcedure.input(qrCodeQuery).query(async ({ ctx, input }) => {
      const { qrCodes, tipMessages } = ctx.services;
      return tipMessages.seeCode(await qrCodes.lookup(input.id), await callerIfKnown(ctx));
    }),
  ),
};
