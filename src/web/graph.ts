// The picture of a neighbourhood comes alive where the reader touches it: boxes are drawn along, the rest makes room.
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from "d3-force";
import { find } from "./dom.ts";

interface Box extends SimulationNodeDatum {
  readonly id: string;
  readonly element: SVGGraphicsElement;
  readonly home: { readonly x: number; readonly y: number };
  x: number;
  y: number;
}
interface Line {
  readonly element: SVGGElement;
  source: Box;
  target: Box;
}

const WIDTH = 176;
const HEIGHT = 44;
/** Less is a click, not a pull. */
const PULLED = 4;

export function letGraphMove(): void {
  const svg = find("[data-graph]")?.querySelector<SVGSVGElement>("svg");
  if (svg === null || svg === undefined) return;
  const boxes = [...svg.querySelectorAll<SVGGraphicsElement>("[data-node]")].map(boxOf);
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const lines = [...svg.querySelectorAll<SVGGElement>("[data-edge]")].flatMap((element): Line[] => {
    const [source, target] = [byId.get(element.dataset["from"] ?? ""), byId.get(element.dataset["to"] ?? "")];
    return source === undefined || target === undefined ? [] : [{ element, source, target }];
  });
  const simulation = forceSimulation(boxes)
    .force(
      "links",
      forceLink<Box, Line>(lines)
        .distance(WIDTH * 1.3)
        .strength(0.05),
    )
    .force("room", forceCollide<Box>(WIDTH / 2.6))
    .force("push", forceManyBody<Box>().strength(-120))
    // Everything keeps near the place that the board gave it, so that the order of the picture stays.
    .force("x", forceX<Box>((box) => box.home.x).strength(0.25))
    .force("y", forceY<Box>((box) => box.home.y).strength(0.25))
    .on("tick", () => draw(boxes, lines))
    .stop();
  for (const box of boxes) pullable(svg, box, simulation);
  svg.classList.add("movable");
}

function boxOf(element: SVGGraphicsElement): Box {
  const { e: x = 0, f: y = 0 } = element.transform.baseVal.consolidate()?.matrix ?? {};
  return { id: element.dataset["node"] ?? "", element, home: { x, y }, x, y };
}

function pullable(svg: SVGSVGElement, box: Box, simulation: ReturnType<typeof forceSimulation<Box>>): void {
  let start: { readonly x: number; readonly y: number } | undefined;
  let pulled = false;
  const at = ({ clientX, clientY }: PointerEvent): DOMPoint =>
    new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM()?.inverse());
  box.element.addEventListener("dragstart", (event) => event.preventDefault());
  box.element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const point = at(event);
    start = { x: point.x - box.x, y: point.y - box.y };
    pulled = false;
  });
  box.element.addEventListener("pointermove", (event) => {
    if (start === undefined) return;
    const point = at(event);
    const [x, y] = [point.x - start.x, point.y - start.y];
    if (!pulled && Math.hypot(x - box.x, y - box.y) < PULLED) return;
    if (!pulled) box.element.setPointerCapture(event.pointerId);
    pulled = true;
    [box.fx, box.fy] = [x, y];
    simulation.alpha(0.4).restart();
  });
  for (const end of ["pointerup", "pointercancel"] as const)
    box.element.addEventListener(end, () => {
      start = undefined;
      box.fx = box.fy = null;
    });
  // A box that was pulled is not a link that was followed.
  box.element.addEventListener("click", (event) => pulled && event.preventDefault());
}

function draw(boxes: readonly Box[], lines: readonly Line[]): void {
  for (const { element, x, y } of boxes) element.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
  for (const { element, source, target } of lines) {
    const leftwards = source.x > target.x;
    const [x1, x2] = [source.x + (leftwards ? 0 : WIDTH), target.x + (leftwards ? WIDTH : 0)];
    const [y1, y2] = [source.y + HEIGHT / 2, target.y + HEIGHT / 2];
    const bend = (x1 + x2) / 2;
    element.querySelector("path")?.setAttribute("d", `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`);
    const words = element.querySelector("text");
    words?.setAttribute("x", String(bend));
    words?.setAttribute("y", String((y1 + y2) / 2 - 4));
  }
}
