/**
 * Fills the kept codes (signed-in/kept-dashboard.ts) into the rendered frame of the dashboard before the first paint.
 * This code stands in the page itself, allowed by its hash, and imports nothing.
 */

interface Kept {
  readonly mark: string;
  readonly user: { readonly fullName: string };
  readonly codes: readonly {
    readonly id: string;
    readonly serviceCategory: string;
    readonly status: string;
    readonly imageBase64: string;
    readonly displayName: string | null;
  }[];
}

(() => {
  const frame = document.querySelector<HTMLElement>('[data-frame]');
  if (!frame) return;
  try {
    const { frame: key = '', token = '', labels = '{}' } = frame.dataset;
    const kept: Kept | null = JSON.parse(localStorage.getItem(key) ?? 'null');
    if (!kept || !localStorage.getItem(token)?.endsWith(kept.mark)) return;
    const query = new URLSearchParams(window.location.search);
    const labelOf: Readonly<Record<string, string>> = JSON.parse(labels);
    const shown = query.get('show');

    const fill = (place: Element, code: Kept['codes'][number]) => {
      const write = (name: string, text: string) => {
        const element = place.querySelector(`[data-fill="${name}"]`);
        if (element) element.textContent = text;
      };
      write('service', labelOf[code.serviceCategory] ?? '');
      write('name', code.displayName ?? kept.user.fullName);
      write('id', `${code.id.slice(0, 5)}-${code.id.slice(5)}`);
      write('status', code.status === 'paused' ? 'Paused' : 'Active');
      place.querySelector('img')?.setAttribute('src', `data:image/png;base64,${code.imageBase64}`);
      const link = place.querySelector('[data-fill="link"]');
      if (code.status === 'active') link?.setAttribute('href', `${window.location.pathname}?show=${code.id}`);
      else link?.remove();
    };

    if (shown !== null) {
      const code = kept.codes.find(({ id, status }) => id === shown && status === 'active');
      const place = frame.querySelector('[data-part="shift"]');
      if (!code || !place) return;
      fill(place, code);
      frame.dataset['kept'] = 'shift';
      return;
    }
    const list = frame.querySelector('[data-part="codes"]');
    const card = list?.firstElementChild;
    if (!list || !card || (query.get('tab') ?? 'qr-codes') !== 'qr-codes') return;
    const name = frame.querySelector('[data-fill="fullName"]');
    if (name) name.textContent = kept.user.fullName;
    list.replaceChildren(
      ...kept.codes.map((code) => {
        const copy = card.cloneNode(true);
        if (copy instanceof Element) fill(copy, code);
        return copy;
      }),
    );
    frame.dataset['kept'] = 'codes';
  } catch {
    // Without storage the frame waits for the script.
  }
})();
