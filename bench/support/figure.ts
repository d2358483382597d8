// One measured figure, for the table at the end of a run and for the history.

export interface Figure {
  /** Also its name in the history, so it names everything that the figure depends on. */
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Absent if the figure is about the machine and not about the board. */
  readonly better?: "more" | "less";
  /** The most that the machine could do in the same run. */
  readonly ceiling?: { readonly name: string; readonly value: number };
}

/** How close the figure came to its ceiling; 1 is the ceiling itself. */
export function shareOfCeiling({ value, better, ceiling }: Figure): number | undefined {
  if (ceiling === undefined) return undefined;
  return better === "less" ? ceiling.value / value : value / ceiling.value;
}

export const whole = (value: number): string => Math.round(value).toLocaleString("en");

export function written({ value, unit }: Pick<Figure, "value" | "unit">): string {
  const number = Math.abs(value) >= 100 ? whole(value) : value.toFixed(Math.abs(value) >= 10 ? 1 : 3);
  return unit === "" ? number : `${number} ${unit}`;
}

/** The share of CPU time that went to processes outside of the bench; empty if the system does not tell. */
export function othersFigure(name: string, share: number | undefined): readonly Figure[] {
  return share === undefined ? [] : [{ name, value: share * 100, unit: "%" }];
}
