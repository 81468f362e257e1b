/** Numbers as people read them, to the letter as the Python side writes them; what is undefined is a dash. */
import { DASH, WORDS } from "./words";

type Maybe<T> = T | null | undefined;
type Bounds = readonly [number, number];

const { rate: RATE, percent: PERCENT, points: POINTS, chance: CHANCE } = WORDS.decimals;
/** Rates that are nearer to each other differ by the rounding of sums only. */
const NOTHING = 1e-9;

export function rate(value: Maybe<number>): string {
  return isNumber(value) ? fixed(keptApart(value, RATE), RATE) : DASH;
}

export function percent(value: Maybe<number>): string {
  if (!isNumber(value)) return DASH;
  if (value === 0 || value === 1) return `${value * 100}%`;
  return `${fixed(keptApart(value, PERCENT + 2) * 100, PERCENT)}%`;
}

/** A share that is round, with the digits that it has. */
export function wholePercent(value: number): string {
  return `${number(100 * value)}%`;
}

export function share(part: number, whole: number): string {
  return percent(whole ? part / whole : null);
}

export function interval(bounds: Maybe<Bounds>): string {
  return bounds ? `${rate(bounds[0])}–${rate(bounds[1])}` : DASH;
}

export function percentInterval(bounds: Maybe<Bounds>): string {
  return bounds ? `${percent(bounds[0])}–${percent(bounds[1])}` : DASH;
}

export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

export function counted(value: number, noun: string, plural = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : plural}`;
}

export function change(value: number): string {
  return value === 0 ? "0" : `${value > 0 ? "+" : "−"}${count(Math.abs(value))}`;
}

export function points(difference: Maybe<number>, decimals: number = POINTS): string {
  if (!isNumber(difference)) return DASH;
  if (Math.abs(difference) < NOTHING) return fixed(0, decimals);
  return `${difference < 0 ? "−" : "+"}${fixed(Math.max(Math.abs(100 * difference), 10 ** -decimals), decimals)}`;
}

export function pointsInterval(bounds: Maybe<Bounds>): string {
  return bounds ? `${points(bounds[0])} to ${points(bounds[1])}` : DASH;
}

export function chance(p: Maybe<number>): string {
  if (!isNumber(p)) return DASH;
  return p < WORDS.least_chance ? `< ${WORDS.least_chance}` : fixed(p, CHANCE);
}

/** A number that somebody chose, with the digits that it has. */
export function number(value: Maybe<number>, digits = 6): string {
  return isNumber(value) ? String(Number(value.toPrecision(digits))) : DASH;
}

/** The number at a place of an axis. */
export function tick(value: number, isPercent = false): string {
  return isPercent ? `${number(100 * value)}%` : number(value);
}

/** A count in at most four characters. */
export function shortCount(value: number): string {
  const [unit, sign] = value >= 1e6 ? [1e6, "M"] : [1e3, "k"];
  if (value < 1e3) return String(value);
  return `${fixed(value / unit, value < 10 * unit ? 1 : 0)}${sign}`;
}

/** Writes a value in the format of its column. */
export function written(format: string, value: unknown): string {
  const write = WRITERS[format];
  if (value === null || value === undefined) return format === "text" || format === "words" ? "" : DASH;
  return write ? write(value as never) : String(value);
}

const WRITERS: Record<string, (value: never) => string> = {
  rate,
  percent,
  count,
  change,
  number,
  interval,
  percent_interval: percentInterval,
  points,
  tenths: (value: number) => points(value, 1),
  points_interval: pointsInterval,
  margin: (value: number) => number(100 * value, 4),
  chance,
};

function isNumber(value: Maybe<number>): value is number {
  return value !== null && value !== undefined && Number.isFinite(value);
}

/** Rounds, but not onto 0 or 1 from beside them: 0.9999 of a million values is a hundred errors. */
function keptApart(value: number, decimals: number): number {
  const rounded = Number(fixed(value, decimals));
  const step = 10 ** -decimals;
  if (value !== 1 && rounded === 1) return value < 1 ? 1 - step : 1 + step;
  if (value !== 0 && rounded === 0) return value < 0 ? -step : step;
  return rounded;
}

/** As `toFixed`, but what lies exactly between goes to the even digit, as in Python. */
export function fixed(value: number, decimals: number): string {
  const rounded = value.toFixed(decimals);
  const [whole = "", rest = ""] = Math.abs(value).toFixed(80).split(".");
  if (!/^50*$/.test(rest.slice(decimals))) return rounded;
  const digits = whole + rest.slice(0, decimals);
  const isEven = Number(digits.at(-1)) % 2 === 0;
  const down = `${whole}${decimals ? `.${rest.slice(0, decimals)}` : ""}`;
  return isEven ? `${value < 0 ? "-" : ""}${down}` : rounded;
}
