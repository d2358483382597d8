// One measured figure: what the table at the end shows and the history keeps.

export interface Figure {
  /** Also its name in the history, so it says whatever the figure depends on. */
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Left out where the figure tells of the machine and not of the board. */
  readonly better?: "more" | "less";
  /** What the machine could do at most in the same run. */
  readonly ceiling?: { readonly name: string; readonly value: number };
}

/** How near the figure came to its ceiling: 1 is all that can be had. */
export function shareOfCeiling({ value, better, ceiling }: Figure): number | undefined {
  if (ceiling === undefined) return undefined;
  return better === "less" ? ceiling.value / value : value / ceiling.value;
}

export const whole = (value: number): string => Math.round(value).toLocaleString("en");

export function written({ value, unit }: Pick<Figure, "value" | "unit">): string {
  const number = Math.abs(value) >= 100 ? whole(value) : value.toFixed(Math.abs(value) >= 10 ? 1 : 3);
  return unit === "" ? number : `${number} ${unit}`;
}

/** How much went to processes that are no part of the bench; nothing where the system does not tell. */
export function othersFigure(name: string, share: number | undefined): readonly Figure[] {
  return share === undefined ? [] : [{ name, value: share * 100, unit: "%" }];
}
