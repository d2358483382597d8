// Pairs of texts that mean the same but share only the smallest words, so that a search by words alone cannot find them.

export const REWORDED: readonly (readonly [string, string])[] = [
  ["parser crashes on empty input", "program fails when the file has nothing in it"],
  ["server runs out of memory overnight", "heap usage keeps growing until the process is killed"],
  ["how do I convert a date to another time zone", "shifting timestamps between regions of the world"],
  ["speed up slow database queries", "SQL statements take too long to finish"],
  ["users cannot log in after the password change", "authentication rejects accounts whose credentials were updated"],
  ["find duplicate images in a folder", "detect identical pictures inside one directory"],
  ["the build is broken on ARM machines", "compilation does not succeed for aarch64 hosts"],
  ["need somebody to check my proof", "please review the mathematical argument that I wrote"],
  ["laptop gets hot and its fan is loud", "notebook overheats, noisy cooling"],
  ["which cheap airline flies to Lisbon", "low cost carriers with routes into Portugal"],
];
