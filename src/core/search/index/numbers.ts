// A list of numbers that grows: for millions of them, of which most lists have few.

export class Numbers {
  length = 0;
  /** Only the first `length` items count. */
  items = new Uint32Array(16);

  push(item: number): void {
    if (this.length === this.items.length) {
      const more = new Uint32Array(this.length * 2);
      more.set(this.items);
      this.items = more;
    }
    this.items[this.length++] = item;
  }
}
