import{a}from"./chunk-DCG7AFIE.mjs";export{a as default};
