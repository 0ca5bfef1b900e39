import{j as a}from"./chunk-JYLR5UAN.mjs";import"./chunk-DCG7AFIE.mjs";export{a as default};
