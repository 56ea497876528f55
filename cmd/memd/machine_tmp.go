package main

import "github.com/set-memory/mem/internal/view/layers"

func machineID(l *layers.Layers) (string, error) { return l.Sites.Home, nil }
