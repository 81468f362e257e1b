/** Back returns to where the reader was: as far down a list, with as much of it shown. */

const heights = new Map<number, number>();
/** Milliseconds for which a list may take to be there again, and for which it must stay as it is. */
const [PATIENCE, SETTLED] = [3000, 400];
const TAKEN_OVER = ["wheel", "touchmove", "keydown", "pointerdown"];
let current = 0;
let newest = 0;
/** The return that is under way, 0 where none is. */
let returning = 0;
let returns = 0;

/** Numbers the places of this visit, and scrolls to where a place was left when the reader returns to it. */
export function rememberPlaces(): void {
  window.addEventListener("scroll", () => !returning && heights.set(current, window.scrollY), { passive: true });
  window.addEventListener("popstate", arrive);
  window.addEventListener("hashchange", arrive);
  arrive();
}

function arrive(): void {
  const known = (window.history.state as { place?: number } | null)?.place;
  if (known === current) return;
  returning = 0;
  if (known === undefined || !heights.has(known)) {
    current = known ?? ++newest;
    window.history.replaceState({ place: current }, "");
    return;
  }
  current = known;
  restore(heights.get(known) ?? 0);
}

/** Tries until the list is long enough again, unless the reader goes on or takes over. */
function restore(height: number): void {
  const own = ++returns;
  returning = own;
  const stop = () => {
    if (returning === own) returning = 0;
    for (const event of TAKEN_OVER) window.removeEventListener(event, stop);
  };
  for (const event of TAKEN_OVER) window.addEventListener(event, stop, { passive: true });
  const until = performance.now() + PATIENCE;
  let since: number | null = null;
  const attempt = () => {
    if (returning !== own) return;
    const now = performance.now();
    if (Math.abs(window.scrollY - height) >= 2) since = null;
    window.scrollTo(0, height);
    since ??= Math.abs(window.scrollY - height) < 2 ? now : null;
    if (now > until || (since !== null && now - since > SETTLED)) stop();
    else requestAnimationFrame(attempt);
  };
  requestAnimationFrame(attempt);
}
