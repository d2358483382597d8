import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { htmlToText } from "./html-text.ts";

const MOST = 100_000;
const text = (html: string): string => htmlToText(html, MOST).text;

describe("HTML as text", () => {
  test.for([
    ["plain", "plain"],
    ["<p>one</p><p>two</p>", "one\n\ntwo"],
    ["one<br>two<br/><br>three", "one\ntwo\n\nthree"],
    ["<div>a</div><div>b</div>", "a\nb"],
    ["  much \n\t space  <b> between </b> words ", "much space between words"],
    ["un<b>brok</b>en", "unbroken"],
    ["<ul><li>x<li>y</ul>z", "- x\n- y\n\nz"],
    ["<table><tr><td>a<td>b</tr><tr><td>c</table>", "a b\nc"],
    ["<pre>  keep\n    this</pre>", "keep\n    this"],
    ['<a href="https://x.example/">https://x.example/</a>', "https://x.example/"],
    ['<a title="href=no" href="https://x.example/?a=1&amp;b">there</a>!', "there (https://x.example/?a=1&b)!"],
    ["<a href='javascript:alert(1)'>click</a>", "click"],
    ["<a href=mailto:a@b.example>a@b.example</a>", "a@b.example"],
    ['<img src="https://spy.example/p.gif" alt="a cat">', "a cat"],
    ["&lt;b&gt; &amp;amp; &#228; &#x1F44B; &auml; &hellip; &unknown; &", "<b> &amp; ä 👋 ä … &unknown; &"],
    ["a<!-- <p>hidden</p> -->b<!doctype html>c<?php x ?>d", "abcd"],
    ["<p>Hello</p><!--><p>World</p><!---><p>again</p>", "Hello\n\nWorld\n\nagain"],
    ["<p>Hello</p><svg width=1/><p>World</p><math/><svg><text>x</text></svg>!", "Hello\n\nWorld\n\n!"],
    ["1 < 2 and <3 but a<b", "1 < 2 and <3 but a"],
    ["<style>p > a {}</style><script>if (a</script>x</SCRIPT>y", "xy"],
    ['<p title="a > b">shown</p>', "shown"],
  ] as const)("%s", ([html, expected]) => expect(text(html)).toBe(expected));

  test.for(["<script>x", "<!-- x", '<p title="x', "<", "</", "<a href=", "&#", "&#xFFFFFFF;", "<p", "</p"])(
    "%s, left unfinished, neither throws nor shows what was hidden",
    (html) => expect(text(`before${html}`)).toMatch(/^before/),
  );

  test("text without markup comes through, whatever it is", () => {
    const word = fc.stringMatching(/^[a-zA-Zäöü世界👋.,;!?-]{1,9}$/u);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        expect(text(words.join(" "))).toBe(words.join(" "));
      }),
    );
  });

  test("any characters have an answer, and no reference makes half a character", () => {
    const marks = fc.constantFrom("<", ">", "<a href=", "</a>", "&#xD800;", "&#0;", "<pre>", "<script>", "<img alt=", "👋", "'", '"');
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: "binary-ascii" }), marks)), (pieces) => {
        expect(text(pieces.join("")).isWellFormed()).toBe(true);
      }),
    );
  });

  test("more than is wanted is left, and said to be", () => {
    const { text: shown, cut } = htmlToText("<p>word</p>".repeat(10_000), 100);
    expect(shown.length).toBeLessThan(200);
    expect(cut).toBe(true);
  });
});
